/** What a description is made from, and where its shared parts are kept. */

import type { Model, ResourceModel } from '../declare/model.ts'
import type { Part } from './audience.ts'
import type { Components } from './components.ts'
import type { Offer } from './offer.ts'

export interface OperationContext {
  readonly model: Model
  readonly offer: Offer
  readonly components: Components
  /** What its audience is told of the resource, if anything. */
  partOf(resource: ResourceModel | undefined): Part | undefined
  /** Whether to tell by which rules: only those who run the service are told. */
  readonly rules: boolean
}
