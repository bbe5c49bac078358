/** The public API: the functions to write a definition, and `openService`. */

export { avg, computed, count, max, min, sum } from './definition/derived.ts'
export { caller, callerField, its } from './definition/dynamic-values.ts'
export type { Job } from './definition/job.ts'
export { boolean } from './definition/kinds/boolean.ts'
export { choice } from './definition/kinds/choice.ts'
export { decimal } from './definition/kinds/decimal.ts'
export { email } from './definition/kinds/email.ts'
export { file } from './definition/kinds/file.ts'
export { json } from './definition/kinds/json.ts'
export { list } from './definition/kinds/list.ts'
export { integer, number } from './definition/kinds/number.ts'
export { password } from './definition/kinds/password.ts'
export { ref } from './definition/kinds/ref.ts'
export { refs } from './definition/kinds/refs.ts'
export { state } from './definition/kinds/state.ts'
export { text } from './definition/kinds/text.ts'
export { date, timestamp } from './definition/kinds/time.ts'
export { url } from './definition/kinds/url.ts'
export { uuid } from './definition/kinds/uuid.ts'
export { action, query } from './definition/logic/action.ts'
export { items } from './definition/logic/items.ts'
export { check, type RecordCheck, type Schedule, schedule } from './definition/logic/logic.ts'
export type { Caller, ReadTools, Tools } from './definition/logic/logic-tools.ts'
export { route } from './definition/logic/route.ts'
export {
  github,
  hmac,
  type SignedEvent,
  standardWebhooks,
  stripe,
  type Verifier,
} from './definition/logic/verify.ts'
export { type MailTemplate, mailTemplate } from './definition/mail-template.ts'
export { now } from './definition/now.ts'
export { env, oauth, oidc } from './definition/provider.ts'
export { type CreateOf, type PatchOf, type RowOf, resource } from './definition/resource.ts'
export {
  and,
  anyone,
  exists,
  nobody,
  not,
  or,
  owner,
  role,
  self,
  signedIn,
  where,
} from './definition/rule-functions.ts'
export { type Definition, service } from './definition/service-definition.ts'
export { type OpenOptions, type OpenService, openService } from './service/embedded-service.ts'
