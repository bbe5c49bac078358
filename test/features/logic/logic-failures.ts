/** Failures of logic that a service observed. */

import type { TestService } from '../../service.ts'

/** The messages of failed logic. */
export function failures(s: TestService): readonly string[] {
  return s.observations.flatMap((one) => (one.kind === 'logic-failed' ? [(one.cause as Error).message] : []))
}
