/** A note as it is stored and as it is shown, for the servers written by hand. */

export interface StoredNote {
  readonly id: string
  readonly version: number
  readonly title: string
  readonly body: string
  /** JSON. */
  readonly tags: string
  readonly stars: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** What a client may send of it. */
export interface NoteContent {
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly stars: number
}

export function shown({ id, title, body, tags, stars, createdAt, updatedAt }: StoredNote) {
  return { id, title, body, tags: JSON.parse(tags) as string[], stars, createdAt, updatedAt }
}

/** The fields whose values are the note's own. */
export function ownFields(row: StoredNote): Readonly<Record<string, string>> {
  return {
    ETag: entityTag(row),
    'Last-Modified': new Date(row.updatedAt).toUTCString(),
    Location: `/notes/${row.id}`,
    'Content-Location': `/notes/${row.id}`,
  }
}

export function entityTag({ id, version }: { id: string; version: number }): string {
  return `"${version}.${id}"`
}
