/** Options of a resource or field in the model: access, history, caching, presentation and files. */

import type { Rule } from './rule.ts'
import type { TitlePart } from './title-template.ts'
import type { Tone } from './tone.ts'

export interface AccessModel {
  readonly read: Rule
  readonly create: Rule
  readonly update: Rule
  readonly delete: Rule
}

/** The history of items: their former versions. */
export interface HistoryModel {
  /** Seconds that versions are kept; undefined: as long as the change log. */
  readonly keep: number | undefined
  /** Undefined: every caller who may read the item. */
  readonly read: Rule | undefined
}

export interface CacheModel {
  readonly maxAge: number
  /** Of composite representations; undefined: they are revalidated. */
  readonly compositeMaxAge: number | undefined
  readonly staleWhileRevalidate: number | undefined
  /** Whether shared caches may store it; true by default. */
  readonly shared: boolean
}

/** How people see items and lists. */
export interface PresentationModel {
  /** The parts of the title of an item; undefined: the most likely field. */
  readonly title: readonly TitlePart[] | undefined
  /** The names of the columns of a table; undefined: short fields. */
  readonly columns: readonly string[] | undefined
  /** The order of lists without `sort`; empty: by id. */
  readonly defaultSort: readonly { readonly name: string; readonly descending: boolean }[]
  /** The nouns for one item and for several, as within a sentence; undefined: from the name of the collection. */
  readonly singular: string | undefined
  readonly plural: string | undefined
}

/** How people see a field and its values. */
export interface FieldPresentation {
  /** The name for people, and a sentence of help; undefined: not declared. */
  readonly label: string | undefined
  readonly help: string | undefined
  /** The look of the values of a choice or state, by value. */
  readonly tones: ReadonlyMap<string, Tone>
}

/** The limits of the content of a file. */
export interface FileModel {
  /** Media types, and ranges such as `image/*`. */
  readonly types: readonly string[]
  /** In octets. */
  readonly max: number
}
