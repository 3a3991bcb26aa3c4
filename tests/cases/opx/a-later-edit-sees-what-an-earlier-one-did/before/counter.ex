defmodule Counter do
  def start, do: 0
end
