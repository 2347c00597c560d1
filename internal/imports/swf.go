package imports

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"oc-scheduler/store/planner"
)

// Site says whose a log is, and which part of it is of interest.
type Site struct {
	Peer, Resource, Instance string
	Dimension                string        // of processors
	Processors               int           // that the machine has; 0: as the log tells
	Start                    time.Time     // when the first job shall have started; zero: when it did
	For                      time.Duration // from there on; 0: the whole log
}

// job is a line of a log in the Standard Workload Format: numbers parted by blanks, -1 for what is not known.
type job struct {
	number, submitted, waited, ran float64
	processors                     float64
}

// fields of a line.
const (
	fieldNumber     = 0
	fieldSubmitted  = 1
	fieldWaited     = 2
	fieldRan        = 3
	fieldAllocated  = 4
	fieldsOfALine   = 18
	longestLine     = 1 << 16
	farthest        = 100 * 365 * 24 * 3600 // seconds
	mostProcessors  = 1e9
	headerStart     = "UnixStartTime"
	headerMaxProcs  = "MaxProcs"
	headerMaxNodes  = "MaxNodes"
	leftUnfinished  = "jobs that never ran"
	leftOutOfWindow = "jobs out of the time asked for"
	leftColumns     = "columns besides number, times and processors"
)

// SWF makes a planner of a log: what the machine has, and a slot for each job that ran. left is what the log has besides.
// It fails at a line that is none.
func SWF(log io.Reader, site Site) (doc []byte, left Left, err error) {
	left = Left{}
	header := map[string]float64{}
	var jobs []job
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if comment, is := strings.CutPrefix(line, ";"); is || line == "" {
			name, text, _ := strings.Cut(comment, ":")
			if number, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
				header[strings.TrimSpace(name)] = number
			}
			continue
		}
		j, err := readJob(line)
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", n, err)
		}
		if j.ran <= 0 || j.processors <= 0 || j.waited < 0 {
			left.add(1, leftUnfinished)
			continue
		}
		if jobs = append(jobs, j); len(jobs) > maxJobs {
			return nil, nil, fmt.Errorf("more than %d jobs", maxJobs)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, nil, err
	}
	if len(jobs) == 0 {
		return nil, nil, errors.New("no job in it ran")
	}
	left[leftColumns] = fieldsOfALine - fieldAllocated - 1
	doc, err = site.planner(header, jobs, left)
	return doc, left, err
}

func readJob(line string) (job, error) {
	fields := strings.Fields(line)
	if len(fields) < fieldAllocated+1 {
		return job{}, fmt.Errorf("%d fields; a job has %d", len(fields), fieldsOfALine)
	}
	var numbers [fieldAllocated + 1]float64
	for i := range numbers {
		var err error
		if numbers[i], err = strconv.ParseFloat(fields[i], 64); err != nil || math.IsNaN(numbers[i]) || math.Abs(numbers[i]) > farthest {
			return job{}, fmt.Errorf("field %d: %.20q is no number of a job", i+1, fields[i])
		}
	}
	return job{numbers[fieldNumber], numbers[fieldSubmitted], numbers[fieldWaited], numbers[fieldRan], numbers[fieldAllocated]}, nil
}

func (s Site) planner(header map[string]float64, jobs []job, left Left) ([]byte, error) {
	first, most := math.Inf(1), 0.0
	for _, j := range jobs {
		first = min(first, j.submitted+j.waited)
		most = max(most, j.processors)
	}
	begin := s.Start
	if begin.IsZero() {
		unix := header[headerStart]
		if !(math.Abs(unix) <= farthest) {
			return nil, fmt.Errorf("%s is %v", headerStart, unix)
		}
		begin = time.Unix(int64(unix), 0).Add(seconds(first))
	}
	has := float64(s.Processors)
	if has == 0 {
		has = max(header[headerMaxProcs], 0)
	}
	if has == 0 {
		has = max(header[headerMaxNodes], 0)
	}
	if has == 0 {
		has = most
	}
	if !(has <= mostProcessors) {
		return nil, fmt.Errorf("%v processors", has)
	}
	slots := []map[string]any{}
	for _, j := range jobs {
		at := begin.Add(seconds(j.submitted + j.waited - first))
		if s.For > 0 && !at.Before(begin.Add(s.For)) {
			left.add(1, leftOutOfWindow)
			continue
		}
		slots = append(slots, map[string]any{
			"start": at.UTC(), "end": at.Add(seconds(j.ran)).UTC(), "instance_id": s.Instance,
			"booking_id": fmt.Sprintf("swf-%.0f", j.number), "usage": map[string]float64{s.Dimension: j.processors},
		})
	}
	doc, err := json.Marshal(map[string]any{
		"peer_id": s.Peer, "generated_at": begin.UTC(),
		"capacities": map[string]any{s.Resource: map[string]any{s.Instance: map[string]float64{s.Dimension: has}}},
		"schedule":   map[string]any{s.Resource: slots},
	})
	if err != nil {
		return nil, err
	}
	if _, err := planner.Decode(doc, nil); err != nil {
		return nil, errors.Join(errors.New("what the log tells is no planner"), err)
	}
	return doc, nil
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
