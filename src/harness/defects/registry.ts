/** Every planted defect, in the order of the criterion that it is about. */
import type { Defect } from './defect.js';
import { admitsOffTheRecord } from './profile/admits-off-the-record.js';
import { believesUnsigned } from './profile/believes-unsigned.js';
import { duplicateTellsMore } from './profile/duplicate-tells-more.js';
import { expiredIsFailed } from './profile/expired-is-failed.js';
import { expiredTokensPass } from './profile/expired-tokens-pass.js';
import { forgetsDenials } from './profile/forgets-denials.js';
import { leadsWithABareTask } from './profile/leads-with-a-bare-task.js';
import { negotiatesByPrefix } from './profile/negotiates-by-prefix.js';
import { oneKeyMore } from './profile/one-key-more.js';
import { oneParameterMore } from './profile/one-parameter-more.js';
import { rejectsAfterWorking } from './profile/rejects-after-working.js';
import { retryExtendsDeadline } from './profile/retry-extends-deadline.js';
import { saysWhy } from './profile/says-why.js';
import { sendsWithoutNegotiation } from './profile/sends-without-negotiation.js';
import { startsBeforeDurable } from './profile/starts-before-durable.js';
import { staysBroken } from './profile/stays-broken.js';
import { streamsWithoutDenials } from './profile/streams-without-denials.js';
import { takesLongerTasks } from './profile/takes-longer-tasks.js';
import { tokenIsEnough } from './profile/token-is-enough.js';
import { toleratesMetadata } from './profile/tolerates-metadata.js';
import { unknownIsSuccess } from './profile/unknown-is-success.js';
import { worksOnUnrecorded } from './profile/works-on-unrecorded.js';
import { anotherIdThroughAnotherRelay } from './relay/another-id-through-another-relay.js';
import { answersHalfCloses } from './relay/answers-half-closes.js';
import { backsOffForEver } from './relay/backs-off-for-ever.js';
import { endsTheirTls } from './relay/ends-their-tls.js';
import { givesUpWithItsRelay } from './relay/gives-up-with-its-relay.js';
import { grantsByName } from './relay/grants-by-name.js';
import { keepsArtifactsBehindARelay } from './relay/keeps-artifacts-behind-a-relay.js';
import { lateCloseUnregisters } from './relay/late-close-unregisters.js';
import { redialsLate } from './relay/redials-late.js';
import { sendsAgain } from './relay/sends-again.js';
import { tidiesHeaders } from './relay/tidies-headers.js';
import { trustsASilentTunnel } from './relay/trusts-a-silent-tunnel.js';
import { asksAnew } from './replay/asks-anew.js';
import { beatsRarely } from './replay/beats-rarely.js';
import { callsEndsInterruptions } from './replay/calls-ends-interruptions.js';
import { cancelIsNoEvent } from './replay/cancel-is-no-event.js';
import { checksThenActs } from './replay/checks-then-acts.js';
import { closesBeforeTheEnd } from './replay/closes-before-the-end.js';
import { crossesHalves } from './replay/crosses-halves.js';
import { cursorKeyOfTheProcess } from './replay/cursor-key-of-the-process.js';
import { deafToSilence } from './replay/deaf-to-silence.js';
import { delegatesAnew } from './replay/delegates-anew.js';
import { dispatchNotRecorded } from './replay/dispatch-not-recorded.js';
import { duplicateRunsAgain } from './replay/duplicate-runs-again.js';
import { endsBeforeTheAgent } from './replay/ends-before-the-agent.js';
import { forgetsAtRestart } from './replay/forgets-at-restart.js';
import { forgetsItsPlace } from './replay/forgets-its-place.js';
import { gapExcusesAll } from './replay/gap-excuses-all.js';
import { gapInSilence } from './replay/gap-in-silence.js';
import { ignoresCredits } from './replay/ignores-credits.js';
import { keepsDeadReaders } from './replay/keeps-dead-readers.js';
import { nonceNotRemembered } from './replay/nonce-not-remembered.js';
import { observersShareAQueue } from './replay/observers-share-a-queue.js';
import { plainCursors } from './replay/plain-cursors.js';
import { readsAllAgain } from './replay/reads-all-again.js';
import { recoveryPromptsAgain } from './replay/recovery-prompts-again.js';
import { recoverySaysCompleted } from './replay/recovery-says-completed.js';
import { refusesCursorsFromElsewhere } from './replay/refuses-cursors-from-elsewhere.js';
import { repeatsTheLastFromElsewhere } from './replay/repeats-the-last-from-elsewhere.js';
import { resumesOneLate } from './replay/resumes-one-late.js';
import { retriesWithAnotherNonce } from './replay/retries-with-another-nonce.js';
import { skipsFirstLiveEvent } from './replay/skips-first-live-event.js';
import { speaksAtTheDeadline } from './replay/speaks-at-the-deadline.js';
import { statusesOfItsOwn } from './replay/statuses-of-its-own.js';
import { stopsAfterAPage } from './replay/stops-after-a-page.js';
import { streamSkipsOne } from './replay/stream-skips-one.js';
import { streamsAfterTheEnd } from './replay/streams-after-the-end.js';
import { takesAnyChain } from './replay/takes-any-chain.js';
import { terminalWithoutResult } from './replay/terminal-without-result.js';
import { waitsForWhatWas } from './replay/waits-for-what-was.js';

export const defects: readonly Defect[] = [
  forgetsAtRestart,
  statusesOfItsOwn,
  skipsFirstLiveEvent,
  closesBeforeTheEnd,
  callsEndsInterruptions,
  resumesOneLate,
  streamSkipsOne,
  streamsAfterTheEnd,
  terminalWithoutResult,
  cancelIsNoEvent,
  stopsAfterAPage,
  crossesHalves,
  duplicateRunsAgain,
  nonceNotRemembered,
  observersShareAQueue,
  ignoresCredits,
  cursorKeyOfTheProcess,
  refusesCursorsFromElsewhere,
  repeatsTheLastFromElsewhere,
  checksThenActs,
  gapInSilence,
  plainCursors,
  recoveryPromptsAgain,
  recoverySaysCompleted,
  dispatchNotRecorded,
  endsBeforeTheAgent,
  forgetsItsPlace,
  readsAllAgain,
  retriesWithAnotherNonce,
  delegatesAnew,
  waitsForWhatWas,
  deafToSilence,
  beatsRarely,
  asksAnew,
  keepsDeadReaders,
  takesAnyChain,
  gapExcusesAll,
  speaksAtTheDeadline,
  oneKeyMore,
  oneParameterMore,
  negotiatesByPrefix,
  sendsWithoutNegotiation,
  expiredIsFailed,
  unknownIsSuccess,
  believesUnsigned,
  startsBeforeDurable,
  admitsOffTheRecord,
  staysBroken,
  worksOnUnrecorded,
  expiredTokensPass,
  saysWhy,
  toleratesMetadata,
  takesLongerTasks,
  retryExtendsDeadline,
  rejectsAfterWorking,
  streamsWithoutDenials,
  leadsWithABareTask,
  tokenIsEnough,
  duplicateTellsMore,
  forgetsDenials,
  endsTheirTls,
  backsOffForEver,
  redialsLate,
  trustsASilentTunnel,
  anotherIdThroughAnotherRelay,
  givesUpWithItsRelay,
  lateCloseUnregisters,
  sendsAgain,
  keepsArtifactsBehindARelay,
  answersHalfCloses,
  tidiesHeaders,
  grantsByName,
];
