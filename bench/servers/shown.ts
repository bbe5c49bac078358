/** Converts stored notes to JSON for the hand-written servers. */

/** A type and not an interface, so that a row of node:sqlite can be cast to it. */
export type StoredNote = {
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

/** The fields that a client may send. */
export interface NoteContent {
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly stars: number
}

export function shown({ id, title, body, tags, stars, createdAt, updatedAt }: StoredNote) {
  return { id, title, body, tags: JSON.parse(tags) as string[], stars, createdAt, updatedAt }
}

/** The fields of a note's own values. */
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
