/** Where backups are stored: a folder, or a bucket of an S3-compatible service. */

export interface BackupPlace {
  /** The folder, or the URL of the bucket without credentials. */
  readonly displayName: string
  /**
   * Whether stored content is read again before a new backup relies on it. A disk may have damaged it; a service
   * verifies content itself, and reading all of it takes long.
   */
  readonly isReadAgain: boolean
  /** The path or the URL of an object, for messages. */
  locate(key: string): string
  /** The keys that begin with the prefix; `direct`: without those that have a slash after it. */
  list(prefix: string, depth: 'direct' | 'all'): AsyncIterable<string>
  /** The size in octets of each object whose key begins with the prefix, by key. */
  sizes(prefix: string): Promise<ReadonlyMap<string, number>>
  /** Whether there is an object, damaged or not. */
  has(key: string): Promise<boolean>
  /** The content; undefined where there is none. */
  read(key: string): Promise<Uint8Array | undefined>
  /** Replaces the object. Its content is complete and durable when this resolves, and never visible in part. */
  write(key: string, content: Uint8Array): Promise<void>
  /** Does nothing where there is no object. */
  remove(key: string): Promise<void>
  /** Removes what interrupted writes of earlier backups have left. The place must be locked. */
  removePartial(): Promise<void>
  /** Excludes other processes that lock the place until it is disposed. Undefined where another process does. */
  lock(): Promise<AsyncDisposable | undefined>
}

/** The name of a backup and where it is. */
export interface StoredBackup {
  readonly place: BackupPlace
  readonly name: string
}

/** The origin of a restore: a place, or one backup in it. */
export interface BackupSource {
  readonly place: BackupPlace
  /** The name of the backup; undefined: the newest one is meant. */
  readonly name: string | undefined
}

/** The backup as messages name it. */
export function locateBackup({ place, name }: StoredBackup): string {
  return place.locate(name)
}
