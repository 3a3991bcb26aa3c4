class Cart
  def total
    net = items.sum(&:price)
    net + tax.of(net)
  end
end
