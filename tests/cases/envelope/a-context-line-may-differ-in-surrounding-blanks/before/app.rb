class App
  def run 
    old
  end

  def run_all
    old
  end
end
