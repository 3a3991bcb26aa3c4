# how to def run
class App
  def run(args)
    old
  end
end
