class Cart
  def total
    items.sum(&:price)
  end
end
