/** The mail to the owner of an account about its second factors: the only place here that knows the feature of mails. */

export { credentialNotice as ownerNotice } from '../mail/account-notice.ts'
