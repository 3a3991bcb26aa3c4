def total(rows):
    count = 0
    for row in rows:
        count += row.value
    return count
