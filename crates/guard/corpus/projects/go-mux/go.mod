module example.org/mux

go 1.20
