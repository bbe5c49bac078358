/** Where a caller can go from here and what it may do here now, before any format. */

import type { FieldModel, JsonValue } from '../definition/model.ts'
import type { Link } from '../http/link.ts'

export interface Hypermedia {
  readonly links: readonly Link[]
  /** The absolute URI that all extension relations begin with. */
  readonly relations?: string
  /** Empty for formats that show links alone: what may be done is then not even worked out. */
  readonly actions: readonly Action[]
}

/** Something this caller may do now: a request that is made by filling in a form. */
export interface Action {
  /** Unique among the actions of a representation. */
  readonly name: string
  readonly title: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly target: string
  /** Undefined where the request has no content. */
  readonly contentType: string | undefined
  readonly inputs: readonly Input[]
}

/** A member of the content, or a parameter of the query where the method is GET. */
export interface Input {
  readonly field: FieldModel
  readonly required: boolean
  /** The present or usual value; undefined where there is none, or none to be seen. */
  readonly value: JsonValue | undefined
  /** Whether the value is the only one possible. */
  readonly fixed: boolean
  /** The values that can succeed, where fewer than the field's own. */
  readonly choices: readonly JsonValue[] | undefined
  /** Of a reference: the collection to choose from, where the caller may list it. */
  readonly choicesUri: string | undefined
}
