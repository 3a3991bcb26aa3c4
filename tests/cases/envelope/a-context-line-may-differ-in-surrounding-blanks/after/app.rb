class App
  def run 
    new
  end

  def run_all
    old
  end
end
