/** Links and actions of a representation, before any format. */

import type { FieldModel, JsonSchema, JsonValue, ResourceModel } from '../definition/model.ts'
import type { Link } from '../http/link.ts'

export interface Hypermedia {
  readonly links: readonly Link[]
  /** The absolute URI prefix of all extension relations. */
  readonly relations?: string
  /** Empty for formats that show only links. */
  readonly actions: readonly Action[]
  /** Why the item cannot be deleted, where the caller may delete it. */
  readonly deletionBlock?: DeletionReason
}

/** Why an item cannot be deleted: others refer to it, too many would be deleted with it, or no administrator would be left. */
export type DeletionReason = 'referenced' | 'too-many' | 'last-admin'

/** Something the caller may do now, as a form. */
export interface Action {
  /** Unique among the actions of a representation. */
  readonly name: string
  readonly title: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly target: string
  /** Undefined if the request has no content. */
  readonly contentType: string | undefined
  readonly inputs: readonly Input[]
  /** Members with the items that the content may contain. */
  readonly nested?: readonly NestedInput[]
  /** Whether it is an action that the definition declares. */
  readonly isDeclared?: boolean
  /** Whether its response is a file, which no page shows. */
  readonly isFile?: true
  /** Whether it creates an item that its own URI shows: a secret is shown by the response alone. */
  readonly createsItem?: boolean
  /** Whether its PUT replaces the item, also in a form: by default a form sends the fields that the person changed. */
  readonly isWhole?: boolean
  /** Whether it is the form of a document, which takes no dry run. */
  readonly isOfDocument?: true
}

/** A member with items that the content contains, or with one. */
export interface NestedInput {
  readonly name: string
  /** The resource of the items. */
  readonly target: ResourceModel
  schema(): JsonSchema
  /** Those of one item, for forms of HTML; empty for several, which these forms do not have. */
  readonly inputs: readonly Input[]
}

/** All inputs that a form of HTML has. */
export function formInputs({ inputs, nested = [] }: Action): readonly Input[] {
  return [...inputs, ...nested.flatMap((one) => one.inputs)]
}

/** A member of the content, or a query parameter if the method is GET. */
export interface Input {
  readonly field: FieldModel
  readonly required: boolean
  /** Whether it is only needed with others, so that a browser does not ask for it. */
  readonly isPart?: true
  /** The current or default value; undefined if there is none or it is hidden. */
  readonly value: JsonValue | undefined
  /** Whether the value is the only possible one. */
  readonly fixed: boolean
  /** The values that the rules allow, if they restrict the field. */
  readonly choices: readonly JsonValue[] | undefined
  /** Of a reference: the collection to choose from, if the caller may list it. */
  readonly choicesUri: string | undefined
  /** Its purpose, by which browsers fill it in; undefined: by its kind. */
  readonly autocomplete?: string | undefined
}
