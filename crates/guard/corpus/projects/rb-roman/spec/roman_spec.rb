RSpec.describe Roman do
  describe '.encode' do
    it 'writes small numbers' do
      expect(Roman.encode(3)).to eq('III')
    end

    it 'subtracts' do
      expect(Roman.encode(4)).to eq('IV')
      expect(Roman.encode(1994)).to eq('MCMXCIV')
    end

    it 'has a range' do
      expect { Roman.encode(0) }.to raise_error(RangeError, 'out of range')
      expect { Roman.encode(4000) }.to raise_error(RangeError)
    end

    [[9, 'IX'], [40, 'XL'], [90, 'XC']].each do |number, numeral|
      it "writes #{number}" do
        expect(Roman.encode(number)).to eq(numeral)
      end
    end
  end

  describe '.decode' do
    it 'reads numerals' do
      expect(Roman.decode('MCMXCIV')).to eq(1994)
    end

    it 'reads lower case' do
      expect(Roman.decode('xl')).to eq(40)
    end

    it 'rejects garbage' do
      expect { Roman.decode('ABC') }.to raise_error(ArgumentError, 'cannot read ABC')
    end

    it 'rejects nothing' do
      expect { Roman.decode('') }.to raise_error(ArgumentError)
    end
  end
end
