from app.limits import MAX_ROWS


def rows(cursor):
    return cursor.fetchmany(MAX_ROWS)
