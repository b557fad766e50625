module example.org/subtitle

go 1.19
