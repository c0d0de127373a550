// Package rules has what every history keeps, whatever its scenario: the rules of the
// protocol for one who subscribes. They are judged by the frames that passed, so that a
// client that counts wrongly is found out before anything is lost.
package rules
