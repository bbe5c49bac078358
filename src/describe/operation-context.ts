/** The data that the operations of an OpenAPI document are generated from. */

import type { Model, ResourceModel } from '../definition/model.ts'
import type { Capabilities } from '../requests/context/capabilities.ts'
import type { Components } from './component-registry.ts'
import type { AudienceResource } from './permitted-resources.ts'

export interface OperationContext {
  readonly model: Model
  readonly capabilities: Capabilities
  readonly components: Components
  /** Returns the part of the resource that the audience may use, if any. */
  findPart(resource: ResourceModel | undefined): AudienceResource | undefined
  /** Whether descriptions contain the access rules; only operators see them. */
  readonly showsRules: boolean
}
