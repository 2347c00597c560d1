package schedule_test

import (
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/calendar"
	"oc-scheduler/store/schedule"
)

func TestARequestHasDefaults(t *testing.T) {
	t.Parallel()
	r, err := schedule.DecodeRequest([]byte(`{}`), schedule.ScheduleBody)
	if err != nil || r.Recurs || r.CatchUp != 5*time.Minute || r.Overlap != schedule.SkipOverlap || r.Times.Zone != time.UTC ||
		r.Times.Gap != calendar.Shift || r.Times.Ambiguity != calendar.First || r.Preemptible || r.AllOrNothing || len(r.Labels) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = schedule.DecodeRequest([]byte(`{"cron":"0 9 * * MON","time_zone":"Europe/Paris","until":"2026-12-31T00:00:00+01:00","count":7,
		"gap":"skip","ambiguity":"both","overlap":"allow","all_or_nothing":true,"catch_up_s":0.5,"preemptible":true,
		"labels":{"a":"b"},"wait_s":99,"duration_s":60,"start":"2026-12-01T00:00:00Z"}`), schedule.ScheduleBody)
	if err != nil || !r.Recurs || r.Times.Zone.String() != "Europe/Paris" || r.Count != 7 || r.CatchUp != time.Second/2 || r.Wait != 30*time.Second ||
		r.Times.Gap != calendar.Skip || r.Times.Ambiguity != calendar.Both || r.Overlap != schedule.AllowOverlap || !r.AllOrNothing ||
		!r.Preemptible || r.Labels["a"] != "b" || r.Duration != time.Minute || r.Until.Hour() != 23 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhatARequestMayNotSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind       schedule.Body
		body, want string
	}{
		{schedule.HoldBody, `{}`, "$.ttl_s: is missing"},
		{schedule.HoldBody, `{"ttl_s":0.9}`, "$.ttl_s: must be a number of seconds from 1 to 900"},
		{schedule.HoldBody, `{"ttl_s":901}`, "$.ttl_s: must be a number of seconds from 1 to 900"},
		{schedule.HoldBody, `{"ttl_s":60,"cron":"* * * * *"}`, "$.cron: unknown member"},
		{schedule.RunBody, `{"count":1}`, "$.count: unknown member"},
		{schedule.ConfirmBody, `{"all_or_nothing":true}`, "$.all_or_nothing: unknown member"},
		{schedule.ScheduleBody, `{"ttl_s":60}`, "$.ttl_s: unknown member"},
		{schedule.ScheduleBody, `{"count":1}`, "$.cron: is missing"},
		{schedule.ScheduleBody, `{"cron":"* * * * *","count":1.5}`, "$.count: must be a whole number"},
		{schedule.ScheduleBody, `{"cron":"* * * * *","count":0}`, "$.count: must be a whole number"},
		{schedule.ScheduleBody, `{"cron":"@every 1s"}`, "$.cron: not a cron expression"},
		{schedule.ScheduleBody, `{"time_zone":"europe/paris"}`, "$.time_zone: unknown time zone"},
		{schedule.ScheduleBody, `{"time_zone":""}`, "$.time_zone: unknown time zone"},
		{schedule.ScheduleBody, `{"gap":"x","ambiguity":"y","overlap":"z"}`, "$.overlap: must be skip or allow"},
		{schedule.ScheduleBody, `{"catch_up_s":86401}`, "$.catch_up_s: must be a number of seconds from 0 to 86400"},
		{schedule.ScheduleBody, `{"labels":{"":"x"}}`, "a label has a name of 1 to 256 bytes"},
		{schedule.ScheduleBody, `{"labels":[]}`, "$.labels: must be an object"},
		{schedule.ScheduleBody, `{"until":"tomorrow"}`, "$.until: not an RFC 3339 time"},
		{schedule.ScheduleBody, `{"wait_s":-1}`, "$.wait_s: must not be negative"},
	} {
		if _, err := schedule.DecodeRequest([]byte(c.body), c.kind); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.body, err, c.want)
		}
	}
}
