class LegacyCart
end
