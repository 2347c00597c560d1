package envelope

// Codec is a serializer with the types of its messages.
type Codec struct {
	Serializer MessageSerializer
	Registry   *Registry
}

// Encode makes the frame of m. It fails as Registry.Serialize and MessageSerializer.Serialize do.
func (c Codec) Encode(m *Message) ([]byte, error) {
	encoded, err := c.Registry.Serialize(m)
	if err != nil {
		return nil, err
	}
	return c.Serializer.Serialize(encoded)
}

// Decode reads a frame. It fails as MessageSerializer.Deserialize and Registry.Deserialize do.
func (c Codec) Decode(frame []byte) (*Message, error) {
	encoded, err := c.Serializer.Deserialize(frame)
	if err != nil {
		return nil, err
	}
	return c.Registry.Deserialize(encoded)
}
