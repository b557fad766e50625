module example.org/lru

go 1.20
