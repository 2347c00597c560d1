package ledger

import (
	"errors"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v4"

	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
)

// Amounts are capacities or usages by dimension, e.g. ram_gb; nested ones as cpu_cores.x86_64.
type Amounts map[string]planner.Amount

// UnmarshalYAML reads amounts, flat or one level deep, exactly. The error is a *yaml.LoadErrors of all
// that is wrong.
func (a *Amounts) UnmarshalYAML(n *yaml.Node) error {
	r := amountReader{amounts: Amounts{}}
	r.object(n, "")
	*a = r.amounts
	if len(r.faults) > 0 {
		return &yaml.LoadErrors{Errors: r.faults}
	}
	return nil
}

type amountReader struct {
	amounts Amounts
	faults  []*yaml.LoadError
}

// object reads one level; prefix is the name of the one above, with its dot.
func (r *amountReader) object(n *yaml.Node, prefix string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		r.fault(n, "must be amounts by name")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := prefix + key.Value
		switch {
		case key.Tag == "!!merge":
			r.fault(key, "<< can't be used here")
		case key.Value == "" || len(name) > planner.MaxName:
			r.fault(key, "a dimension's name has 1 to %d bytes", planner.MaxName)
		case value.Kind == yaml.ScalarNode:
			r.number(value, name)
		case prefix == "":
			r.object(value, name+".")
		default:
			r.fault(value, "%s: must be a number", name)
		}
	}
}

func (r *amountReader) number(n *yaml.Node, name string) {
	amount, err := planner.ParseAmount(n.Value, planner.Down)
	if _, twice := r.amounts[name]; twice {
		err = errors.New("named twice")
	}
	if err != nil {
		r.fault(n, "%s: %v", name, err)
		return
	}
	r.amounts[name] = amount
}

func (r *amountReader) fault(n *yaml.Node, format string, args ...any) {
	mark := yaml.Mark{Line: n.Line, Column: n.Column}
	r.faults = append(r.faults, yaml.NewLoadError(yaml.ConstructorStage, fmt.Sprintf(format, args...), mark, nil))
}

// Floats are the amounts as the protocol carries them.
func (a Amounts) Floats() nclprotocol.Amounts {
	floats := make(nclprotocol.Amounts, len(a))
	for name, amount := range a {
		floats[name] = float64(amount) / float64(planner.Unit)
	}
	return floats
}

func (a Amounts) quantities() []planner.Quantity {
	list := make([]planner.Quantity, 0, len(a))
	for dimension, amount := range a {
		list = append(list, planner.Quantity{Dimension: dimension, Amount: amount})
	}
	return list
}

func (c Capacities) quantities() map[planner.Ref][]planner.Quantity {
	all := map[planner.Ref][]planner.Quantity{}
	for resource, instances := range c {
		for instance, amounts := range instances {
			all[planner.Ref{ResourceID: resource, InstanceID: instance}] = amounts.quantities()
		}
	}
	return all
}

// usage reads amounts that are taken, rounded up.
func usage(floats nclprotocol.Amounts) (Amounts, error) {
	amounts := make(Amounts, len(floats))
	for name, f := range floats {
		amount, err := planner.ParseAmount(strconv.FormatFloat(f, 'f', -1, 64), planner.Up)
		if err != nil {
			return nil, fmt.Errorf("usage of %q: %w", name, err)
		}
		amounts[name] = amount
	}
	return amounts, nil
}
