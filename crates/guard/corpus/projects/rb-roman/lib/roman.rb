# Numbers as the Romans wrote them.
module Roman
  NUMERALS = {
    1000 => 'M', 900 => 'CM', 500 => 'D', 400 => 'CD', 100 => 'C', 90 => 'XC',
    50 => 'L', 40 => 'XL', 10 => 'X', 9 => 'IX', 5 => 'V', 4 => 'IV', 1 => 'I'
  }.freeze

  def self.encode(number)
    raise RangeError, 'out of range' unless (1..3999).cover?(number)

    NUMERALS.reduce('') do |text, (value, numeral)|
      count, number = number.divmod(value)
      text + numeral * count
    end
  end

  def self.decode(text)
    raise ArgumentError, 'empty numeral' if text.empty?

    number = 0
    rest = text.upcase
    NUMERALS.each do |value, numeral|
      while rest.start_with?(numeral)
        number += value
        rest = rest.delete_prefix(numeral)
      end
    end
    raise ArgumentError, "cannot read #{text}" unless rest.empty?

    number
  end
end
