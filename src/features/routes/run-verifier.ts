/** Runs the code of a definition that finds out whether a request is genuine. It only reads. */

import { InvalidPayload } from '../../definition/logic/signature.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import { LogicRun } from '../logic/logic-run.ts'
import { callHook, withinTime } from '../logic/run-hook.ts'
import { createReadTools } from '../logic/tools.ts'
import type { VerifyingCode } from './route-model.ts'
import { placeOf, type ReceivedCall, requestOf } from './run-route.ts'

/** The event that the code returns; undefined: the request is not genuine. Throws an InvalidPayload where `parse` does. */
export async function runVerifier(
  service: ServiceContext,
  call: ReceivedCall,
  verify: VerifyingCode,
): Promise<object | undefined> {
  const { caller, request, route } = call
  const place = `${placeOf(route)}.verify`
  const run = LogicRun.begin(service, { caller, requestId: request.id })
  const nested = run.nested(place)
  const work = async ({ signal }: { readonly signal: AbortSignal }) => {
    const tools = await createReadTools({ run: nested, signal, place })
    const event = await callHook(place, async () => {
      const found = await verify(requestOf(call, signal), tools)
      nested.end()
      return found
    })
    if (event === undefined || (typeof event === 'object' && event !== null)) return event
    throw new LogicFailure(place, `${place} must return an object, or undefined.`)
  }
  try {
    return await withinTime(run, { clock: undefined }, place, work, route.time)
  } catch (error) {
    throw error instanceof LogicFailure && error.cause instanceof InvalidPayload ? error.cause : error
  }
}
