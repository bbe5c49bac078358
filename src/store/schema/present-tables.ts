/** The tables, columns and indexes that a database has now, as both drivers read them. */

export interface PresentTable {
  readonly name: string
  readonly columns: ReadonlyMap<string, PresentColumn>
  readonly indexes: readonly PresentIndex[]
}

export interface PresentColumn {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly hasDefault: boolean
  readonly references: { readonly table: string } | undefined
}

export interface PresentIndex {
  readonly name: string
  readonly unique: boolean
  readonly columns: readonly string[]
}

export type PresentTables = ReadonlyMap<string, PresentTable>
