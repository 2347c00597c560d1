package jet

import "testing"

// FuzzMessage reads whatever may come as the answer of a stream's leader.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"message":{"seq":1,"hdrs":"TkFUUy8xLjANCg0K","data":"MQ==","time":"2026-12-01T06:00:00Z"}}`))
	f.Add([]byte(`{"error":{"code":404,"err_code":10037}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := message(data); (m == nil) != (err != nil) {
			t.Errorf("%+v beside %v", m, err)
		}
	})
}
