package check

import "testing"

func TestNewsOfAKindAreKnownOnce(t *testing.T) {
	t.Parallel()
	var n news
	if known, wake := n.add(said); known || !wake {
		t.Errorf("the first: known %t, wake %t", known, wake)
	}
	if known, wake := n.add(said); !known || wake {
		t.Errorf("the second: known %t, wake %t", known, wake)
	}
	if known, wake := n.add(plannersChanged); known || wake {
		t.Errorf("another kind: known %t, wake %t", known, wake)
	}
	if kinds := n.look(); kinds != said|plannersChanged {
		t.Errorf("a look sees %b", kinds)
	}
	if known, wake := n.add(said); known || !wake {
		t.Errorf("after a look: known %t, wake %t", known, wake)
	}
}
