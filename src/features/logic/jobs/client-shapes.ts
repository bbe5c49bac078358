/** Jobs in the types of clients. */

import type { Job } from '../../../definition/job.ts'
import type { JobsOf } from '../../../definition/logic/action.ts'
import type { AnyDefinition, DeclaredActionsOf } from '../../../definition/service-definition.ts'
import type { OwnShape } from '../../../describe/client/shapes.ts'
import type { JobsResource, jobsTable } from './jobs-resource.ts'

/** The collection of jobs, where an action runs in the background. */
export type JobShapes<D extends AnyDefinition> =
  JobsOf<DeclaredActionsOf<D>> extends { readonly jobs: Job } ? { readonly jobs: JobShape } : unknown

/** Background actions in progress, and their ends. */
type JobShape = OwnShape<typeof jobsTable, JobsResource> & { readonly isJob: true }
