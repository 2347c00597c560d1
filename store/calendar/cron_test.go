package calendar_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/calendar"
)

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                             "0 fields; minute, hour, day of month, month and day of week are needed",
		` `:                            "0 fields; minute, hour, day of month, month and day of week are needed",
		`* * * *`:                      "4 fields; minute, hour, day of month, month and day of week are needed",
		`0 30 2 * * *`:                 "6 fields; minute, hour, day of month, month and day of week are needed, without seconds and years",
		`30 2 * * * 9999`:              "6 fields; minute, hour, day of month, month and day of week are needed, without seconds and years",
		`0 30 2 * * * 9999`:            "7 fields; minute, hour, day of month, month and day of week are needed, without seconds and years",
		`TZ=0`:                         "a time zone is not part of it, but given beside it (time_zone)",
		`TZ=Europe/Paris 0 0 * * *`:    "a time zone is not part of it, but given beside it (time_zone)",
		`CRON_TZ=UTC 0 0 * * *`:        "a time zone is not part of it, but given beside it (time_zone)",
		`CRON_TZ=`:                     "a time zone is not part of it, but given beside it (time_zone)",
		`@every 0s`:                    "@every is not possible, only times of the day and the calendar: every five minutes is */5 * * * *",
		`@every`:                       "@every is not possible, only times of the day and the calendar: every five minutes is */5 * * * *",
		`@reboot`:                      "@reboot is not possible, only times of the day and the calendar",
		`@Daily`:                       "@Daily is none of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually",
		`@daily 5`:                     "nothing may follow @daily",
		`@`:                            "@ is none of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually",
		`60 * * * *`:                   `minute "60": 60 is not within 0 to 59`,
		`-1 * * * *`:                   `minute "-1": "" is not a number`,
		`+1 * * * *`:                   `minute "+1": "+1" is not a number`,
		`1.5 * * * *`:                  `minute "1.5": "1.5" is not a number`,
		`٣ * * * *`:                    `minute "٣": "٣" is not a number`,
		`99999999999999999999 * * * *`: `minute "99999999999999999999": "99999999999999999999" is not a number`,
		`* 24 * * *`:                   `hour "24": 24 is not within 0 to 23`,
		`* * 0 * *`:                    `day of month "0": 0 is not within 1 to 31`,
		`* * 32 * *`:                   `day of month "32": 32 is not within 1 to 31`,
		`* * * 13 *`:                   `month "13": 13 is not within 1 to 12`,
		`* * * 0 *`:                    `month "0": 0 is not within 1 to 12`,
		`* * * * 8`:                    `day of week "8": 8 is not within 0 to 7`,
		`* * * * MONDAY`:               `day of week "MONDAY": "MONDAY" is neither a number nor one of SUN, MON, TUE, WED, THU, FRI, SAT`,
		`* * * MON *`:                  `month "MON": "MON" is neither a number nor one of JAN, FEB, MAR, APR, MAY, JUN, JUL, AUG, SEP, OCT, NOV, DEC`,
		`* * * * FRI-MON`:              `day of week "FRI-MON": the range FRI-MON runs backwards; two ranges with a comma can say it`,
		`* 22-6 * * *`:                 `hour "22-6": the range 22-6 runs backwards; two ranges with a comma can say it`,
		`* * ? * *`:                    `day of month "?": ?, L, W and # are not possible`,
		`* * L * *`:                    `day of month "L": ?, L, W and # are not possible`,
		`* * 15W * *`:                  `day of month "15W": ?, L, W and # are not possible`,
		`* * * * 5#2`:                  `day of week "5#2": ?, L, W and # are not possible`,
		`* * * * 5L`:                   `day of week "5L": ?, L, W and # are not possible`,
		`*/0 * * * *`:                  `minute "*/0": a step is 1 to 60, not "0"`,
		`*/61 * * * *`:                 `minute "*/61": a step is 1 to 60, not "61"`,
		`*/ * * * *`:                   `minute "*/": a step is 1 to 60, not ""`,
		`*/-5 * * * *`:                 `minute "*/-5": a step is 1 to 60, not "-5"`,
		`*/5/5 * * * *`:                `minute "*/5/5": a step is 1 to 60, not "5/5"`,
		`1-2-3 * * * *`:                `minute "1-2-3": "2-3" is not a number`,
		`1,,2 * * * *`:                 `minute "1,,2": a value is missing`,
		`, * * * *`:                    `minute ",": a value is missing`,
		`** * * * *`:                   `minute "**": "**" is not a number`,
		`*-5 * * * *`:                  `minute "*-5": "*" is not a number`,
		"0 0 * *\n*":                   "4 fields; minute, hour, day of month, month and day of week are needed",
		"0\u00a00 * * * *":             `minute "0\u00a00": "0\u00a00" is not a number`,
		`30 2 30 2 *`:                  "it never comes: there is no 30 February",
		`30 2 31 4,JUN,9,11 *`:         "it never comes: there is no 31 April",
		`30 2 31 2 */2`:                "it never comes: there is no 31 February",
		`0 0 * * ` + strings.Repeat("1,", 500) + `1`: "1009 bytes, at most 1000 are possible",
	} {
		_, err := calendar.ParseCron(text)
		if !errors.Is(err, calendar.ErrCron) || err.Error() != "not a cron expression: "+want {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// TestExpressions: when each of them comes first after Tuesday, 2026-12-01 08:30 UTC, and then.
func TestExpressions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`* * * * *`:             "Tue 2026-12-01 08:30, Tue 2026-12-01 08:31",
		`29 * * * *`:            "Tue 2026-12-01 09:29, Tue 2026-12-01 10:29",
		`*/7 * * * *`:           "Tue 2026-12-01 08:35, Tue 2026-12-01 08:42",
		`40/15 * * * *`:         "Tue 2026-12-01 08:40, Tue 2026-12-01 08:55",
		`10-20/5,50 8 * * *`:    "Tue 2026-12-01 08:50, Wed 2026-12-02 08:10",
		"\t05  009  *\t*  * ":   "Tue 2026-12-01 09:05, Wed 2026-12-02 09:05",
		`@hourly`:               "Tue 2026-12-01 09:00, Tue 2026-12-01 10:00",
		` @daily `:              "Wed 2026-12-02 00:00, Thu 2026-12-03 00:00",
		`@midnight`:             "Wed 2026-12-02 00:00, Thu 2026-12-03 00:00",
		`@weekly`:               "Sun 2026-12-06 00:00, Sun 2026-12-13 00:00",
		`@monthly`:              "Fri 2027-01-01 00:00, Mon 2027-02-01 00:00",
		`@yearly`:               "Fri 2027-01-01 00:00, Sat 2028-01-01 00:00",
		`@annually`:             "Fri 2027-01-01 00:00, Sat 2028-01-01 00:00",
		`0 0 * * 7`:             "Sun 2026-12-06 00:00, Sun 2026-12-13 00:00",
		`0 0 * * FRI-7`:         "Fri 2026-12-04 00:00, Sat 2026-12-05 00:00",
		`0 0 * * 5/1`:           "Fri 2026-12-04 00:00, Sat 2026-12-05 00:00",
		`0 0 * * 7/1`:           "Sun 2026-12-06 00:00, Sun 2026-12-13 00:00",
		`0 0 * * mon,Wed`:       "Wed 2026-12-02 00:00, Mon 2026-12-07 00:00",
		`0 0 * feb-Apr *`:       "Mon 2027-02-01 00:00, Tue 2027-02-02 00:00",
		`0 0 31 * *`:            "Thu 2026-12-31 00:00, Sun 2027-01-31 00:00",
		`0 0 13 * FRI`:          "Fri 2026-12-04 00:00, Fri 2026-12-11 00:00", // either day
		`0 0 1-7 * */6`:         "Sat 2026-12-05 00:00, Sun 2026-12-06 00:00", // both
		`0 0 */2 * SUN`:         "Sun 2026-12-13 00:00, Sun 2026-12-27 00:00", // both
		`0 0 *,13 * SUN`:        "Sun 2026-12-06 00:00, Sun 2026-12-13 00:00", // begins with *
		`0 0 30 2 MON`:          "Mon 2027-02-01 00:00, Mon 2027-02-08 00:00", // either day, one of which never comes
		`0 0 29 2 *`:            "Tue 2028-02-29 00:00, Sun 2032-02-29 00:00",
		`59 23 31 12 *`:         "Thu 2026-12-31 23:59, Fri 2027-12-31 23:59",
		`0 */60 * * *`:          "",
		`0 */24 * * *`:          "Wed 2026-12-02 00:00, Thu 2026-12-03 00:00",
		`0-59/60 0-23/24 * * *`: "Wed 2026-12-02 00:00, Thu 2026-12-03 00:00",
	} {
		c, err := calendar.ParseCron(text)
		if (err != nil) != (want == "") {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil {
			continue
		}
		var got []string
		for o := range (calendar.Schedule{Cron: c, Zone: time.UTC}).From(time.Date(2026, 12, 1, 8, 30, 0, 0, time.UTC)) {
			if got = append(got, o.Start.Format("Mon 2006-01-02 15:04")); len(got) == 2 {
				break
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzParseCron(f *testing.F) {
	for _, text := range []string{"30 2 * * *", "*/5 * * * *", "TZ=0", "CRON_TZ=", "@every 0s", "* * * * * *", "30 2 30 2 *", "0 0 1 1 * 9999", "@daily", "0 9-17 * JAN MON-FRI", "1,2/3,4-5/6 ? L W #"} {
		f.Add(text)
	}
	paris := zone(f, "Europe/Paris")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := calendar.ParseCron(text)
		if err != nil {
			if !errors.Is(err, calendar.ErrCron) || len(err.Error()) > 400 {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		s, from, last, n := calendar.Schedule{Cron: c, Zone: paris}, time.Date(2026, 3, 28, 0, 0, 0, 1, time.UTC), time.Time{}, 0
		for o := range s.From(from) {
			if o.Start.Before(from) || !o.Start.After(last) || o.Start.Nanosecond() != 0 || o.Start.After(o.Nominal) {
				t.Errorf("%q: %s starts at %s after %s", text, o.Nominal, o.Start, last)
			}
			if last = o.Start; n == 100 {
				break
			}
			n++
		}
		if n == 0 {
			t.Errorf("%q never comes", text)
		}
	})
}
