class App
  def run(args)
    old
  end
  def run_all
    old
  end
end
