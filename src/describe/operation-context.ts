/** What a description is made from, and where its shared parts are kept. */

import type { Model, ResourceModel } from '../definition/model.ts'
import type { AudienceResource } from './audience.ts'
import type { Capabilities } from './capabilities.ts'
import type { Components } from './components.ts'

export interface OperationContext {
  readonly model: Model
  readonly capabilities: Capabilities
  readonly components: Components
  /** What its audience is told of the resource, if anything. */
  findPart(resource: ResourceModel | undefined): AudienceResource | undefined
  /** Whether to tell by which rules: only those who run the service are told. */
  readonly showsRules: boolean
}
