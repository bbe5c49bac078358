/** /batch/{collection}: takes the form of a list that changes several items, each of them for itself. */

import { refuse } from '../../refusal.ts'
import type { Document } from '../../requests/context/target.ts'
import { isListable } from '../../views/form-input.ts'
import { collectionUri } from '../../views/uri.ts'
import { performSelection } from './perform-selection.ts'

export const selection: Document = {
  route: '/batch/{collection}',
  name: 'selection',
  personal: true,
  cache: 'no-store',
  operations: 'selection',
  perform: performSelection,
  load({ service: { model }, caller, target }) {
    const resource = model.resources.get(target.parameter ?? '')
    if (!resource || !isListable(resource, caller)) throw refuse('not-found')
    return { data: { collection: collectionUri(model, resource), results: [] } }
  },
}
