class Tax
  def initialize(rate) = @rate = rate
  def of(amount) = amount * @rate
end
