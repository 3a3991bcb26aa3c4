class App
  def run
    old
  end
end
