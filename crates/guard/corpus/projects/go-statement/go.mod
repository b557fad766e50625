module example.org/statement

go 1.20

require github.com/stretchr/testify v1.9.0
