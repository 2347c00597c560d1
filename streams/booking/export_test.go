package booking

// Crowd has as many look at occurrences as may at a time, until leave is called.
func (s *Service) Crowd() (leave func()) {
	n := cap(s.looking)
	for range n {
		s.looking <- struct{}{}
	}
	return func() {
		for range n {
			<-s.looking
		}
	}
}
