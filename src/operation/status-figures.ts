/** The figures that /status shows in every format. */

/** Queued work. A type alias, because only aliases are assignable to JsonValue. */
export type WorkFigures = {
  readonly waiting: number
  /** Their last attempt has failed. */
  readonly parked: number
  /** Seconds that the oldest of them has been waiting. */
  readonly lag: number
}

/** Jobs that have not ended. They are not parked: a failed job has ended. */
export type JobFigures = Omit<WorkFigures, 'parked'>

/** The backups in the configured folder. A type alias, because only aliases are assignable to JsonValue. */
export type BackupFigures = {
  /** The time of the newest one, and how many seconds ago that is; null if there is none. */
  readonly newest: string | null
  readonly age: number | null
  /** When a backup was last verified; null if none was. */
  readonly verified: string | null
}

/** The use of the quota of files. A type alias, because only aliases are assignable to JsonValue. */
export type FileFigures = {
  /** Octets that the files of an account may have. */
  readonly quota: number
  /** Octets that the files of all accounts have. */
  readonly used: number
  /** The accounts whose files have the most octets; `account` is null where it was deleted. */
  readonly accounts: readonly { readonly account: string | null; readonly used: number }[]
}

/** The use of an older version of the interface since the process started. */
export type VersionFigures = {
  readonly version: string
  readonly requests: number
  /** The most frequent first: an account such as `users/ID`, a subject of an issuer, `anonymous`, or `others`. */
  readonly callers: readonly { readonly caller: string; readonly requests: number }[]
}

/** The requests of a method and route since the process started. */
export type RouteFigures = {
  readonly method: string
  /** Such as `/users/{id}`; `-` for requests that were refused before they had a route. */
  readonly route: string
  readonly requests: number
  /** Responses with status 4xx. */
  readonly refused: number
  /** Responses with status 5xx. */
  readonly errors: number
  /** In milliseconds; `median` and `slowest` (the 99th percentile) are estimates from a histogram. */
  readonly mean: number
  readonly median: number
  readonly slowest: number
}

/** A server error, or code that failed for a request. */
export type ErrorFigures = {
  readonly at: string
  /** As in `Request-Id` of the response, and in the log. */
  readonly request: string
  /** Null where the response was sent before the error. */
  readonly method: string | null
  readonly route: string | null
  readonly status: number | null
  /** The decision that ended the request. */
  readonly decision: string | null
  /** The failure in a few words, without values of the request. */
  readonly summary: string
}

/** A type alias, because only aliases are assignable to JsonValue. */
export type StatusFigures = {
  /** When the process started, and how many seconds ago. */
  readonly started: string
  readonly uptime: number
  /** In octets. */
  readonly memory: number
  /** In octets; null if the size is unknown now. */
  readonly database: number | null
  /** Octets that are left on the disk of the database; null if they are unknown. */
  readonly freeSpace: number | null
  /** `ready`, or why the store is unavailable. */
  readonly databaseState: 'ready' | 'full' | 'unreachable' | 'slow' | 'unfit' | 'damaged'
  /** The change log; null if its extent is unknown now. */
  readonly log: {
    readonly entries: number
    /** When the oldest and the newest entry were made; null if there is none. */
    readonly oldest: string | null
    readonly newest: string | null
    /** Seconds that entries are kept. */
    readonly retention: number
  } | null
  /** The deliveries of webhooks; null if they are unknown now, or the service has none. */
  readonly deliveries: WorkFigures | null
  /** The `after` hooks of changes; null if they are unknown now, or the definition has none. */
  readonly after: WorkFigures | null
  /** The jobs that have not ended; null if they are unknown now, or the definition has no background actions. */
  readonly jobs: JobFigures | null
  /** Null if they are unknown now, or the definition has no quota. */
  readonly files: FileFigures | null
  /** Null if no folder of backups is configured, or it cannot be read now. */
  readonly backups: BackupFigures | null
  /** The older versions of the interface; empty if the definition has none. */
  readonly versions: readonly VersionFigures[]
  /** The most frequent first. */
  readonly routes: readonly RouteFigures[]
  /** The newest first. */
  readonly recentErrors: readonly ErrorFigures[]
}
