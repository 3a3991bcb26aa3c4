for a; do
fi
done
for b; do
fi
done
