/** What users import: the words a definition is written in, and the way to open one. */

export { boolean } from './declare/kinds/boolean.ts'
export { choice } from './declare/kinds/choice.ts'
export { decimal } from './declare/kinds/decimal.ts'
export { email } from './declare/kinds/email.ts'
export { json } from './declare/kinds/json.ts'
export { list } from './declare/kinds/list.ts'
export { integer, number } from './declare/kinds/number.ts'
export { password } from './declare/kinds/password.ts'
export { ref } from './declare/kinds/ref.ts'
export { state } from './declare/kinds/state.ts'
export { text } from './declare/kinds/text.ts'
export { date, timestamp } from './declare/kinds/time.ts'
export { url } from './declare/kinds/url.ts'
export { uuid } from './declare/kinds/uuid.ts'
export { now } from './declare/now.ts'
export { type CreateOf, type PatchOf, type RowOf, resource } from './declare/resource.ts'
export {
  and,
  anyone,
  nobody,
  not,
  or,
  owner,
  role,
  self,
  signedIn,
  where,
} from './declare/rules.ts'
export { type Definition, service } from './declare/service.ts'
export { type OpenOptions, type OpenService, openService } from './open-service.ts'
