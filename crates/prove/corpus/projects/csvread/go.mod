module example.org/csvread

go 1.19
