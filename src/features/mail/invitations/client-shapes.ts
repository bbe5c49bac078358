/** Invitations in the types of clients. */

import type { CreateOf, Resource } from '../../../definition/resource.ts'
import type {
  AnyDefinition,
  definitionBrand,
  InvitedReferenceOf,
} from '../../../definition/service-definition.ts'
import type { OwnShape } from '../../../describe/client/shapes.ts'
import type { InvitationsResource, invitationsTable } from './invitations-resource.ts'

/** The invitations of a service with mail, unless a collection of its own has the name. */
export type InvitationShapes<D extends AnyDefinition> =
  'invitations' extends keyof D[typeof definitionBrand]['resources']
    ? unknown
    : {
        readonly invitations: WithRecord<
          InvitationShape,
          RecordOf<D[typeof definitionBrand]['resources'], InvitedReferenceOf<D>>
        >
      }

/** The shape with the record in its content and its rows; without it where invitations carry none. */
type WithRecord<S extends InvitationShape, Carried> = Omit<S, 'row' | 'create' | 'created'> & {
  readonly row: Omit<S['row'], 'record'> & RecordMember<Carried>
  readonly create: S['create'] & RecordMember<Carried>
  readonly created: Omit<S['created'], 'record'> & RecordMember<Carried>
}

type InvitationShape = OwnShape<typeof invitationsTable, InvitationsResource>

type RecordMember<Carried> = [Carried] extends [never] ? unknown : { readonly record?: Carried }

/** The content of a new record, without the reference to the account. */
type RecordOf<R, Reference> = Reference extends `${infer N}.${infer Field}`
  ? N extends keyof R
    ? Omit<CreateOf<Extract<R[N], Resource>>, Field>
    : never
  : never
