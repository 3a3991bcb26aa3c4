for a; do
fi
done
exit 0
