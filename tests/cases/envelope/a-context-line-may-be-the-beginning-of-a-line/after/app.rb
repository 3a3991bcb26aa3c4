# how to def run
class App
  def run(args)
    new
  end
end
