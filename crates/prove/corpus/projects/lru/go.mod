module example.org/lru

go 1.19
