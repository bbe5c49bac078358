/** Invitations in the types of clients. */

import type { AnyDefinition, definitionBrand } from '../../../definition/service-definition.ts'
import type { OwnShape } from '../../../describe/client/shapes.ts'
import type { InvitationsResource, invitationsTable } from './invitations-resource.ts'

/** The invitations of a service with mail, unless a collection of its own has the name. */
export type InvitationShapes<D extends AnyDefinition> =
  'invitations' extends keyof D[typeof definitionBrand]['resources']
    ? unknown
    : { readonly invitations: OwnShape<typeof invitationsTable, InvitationsResource> }
