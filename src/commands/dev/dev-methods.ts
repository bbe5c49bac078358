/** The RPC methods between `restwell dev` and the process that serves one version of a definition. */

import type { LoadedFile } from './loaded-files.ts'

export interface SupervisorMethods {
  /** The oldest unconfirmed connection has arrived. */
  connectionReceived(value: undefined): void
}

export interface ServingMethods {
  /** Loads the definition of the arguments; the database is not opened. */
  load(args: readonly string[]): Promise<LoadReport>
  /** Migrates and opens the database; connections may follow. */
  open(url: string): Promise<OpenReport>
  /** Resolves when all requests have their responses and the database is closed. */
  drain(value: undefined): Promise<void>
}

export interface LoadReport {
  readonly files: readonly LoadedFile[]
  /** The fault of the definition, for the developer. */
  readonly fault: string | undefined
}

export type OpenReport = { readonly fault: string } | OpenedReport

export interface OpenedReport {
  readonly fault?: undefined
  /** The steps that were taken in the database, and those that were not; empty where it fits. */
  readonly migration: string
  /** The first account, where this start has created it. */
  readonly firstAccount: string
  /** The lines of a first start. */
  readonly welcome: string
}
