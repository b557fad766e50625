package lru

import (
	"encoding/json"
	"fmt"
	"io"
)

// Source is where missing values come from.
type Source interface {
	Fetch(key string) (string, error)
}

// Load gets a value from the cache or the source.
func Load(c *Cache, source Source, key string) (string, error) {
	if value, ok := c.Get(key); ok {
		return value.(string), nil
	}
	value, err := source.Fetch(key)
	if err != nil {
		return "", fmt.Errorf("load %s: %w", key, err)
	}
	if err := c.Put(key, value); err != nil {
		return "", err
	}
	return value, nil
}

// Import reads entries from JSON.
func Import(c *Cache, reader io.Reader) (int, error) {
	var entries map[string]string
	if err := json.NewDecoder(reader).Decode(&entries); err != nil {
		return 0, fmt.Errorf("import: %w", err)
	}
	for key, value := range entries {
		if err := c.Put(key, value); err != nil {
			return 0, err
		}
	}
	return len(entries), nil
}
