//! What is written is read back; what was changed is found, wherever; garbage is refused.

use piton_model::Timestamp;
use piton_store::Frame;
use proptest::prelude::*;

use super::*;

fn sample() -> Vec<Record> {
    let run: RunId = "Run-1".parse().unwrap();
    let frame = Frame {
        seq: 3,
        at: Timestamp::from_millis(1_771_157_000_001),
        kinds: "noted noted@2".to_owned(),
        codec: 0,
        key_id: 0,
        body: b"salt and payload".to_vec(),
        hash: vec![7; 32],
        request: Some([5; 16]),
    };
    vec![
        Record::Removed { run: run.clone() },
        Record::Blob { id: [9; 32], bytes: b"large".to_vec() },
        Record::Frame { run: run.clone(), frame: frame.clone() },
        Record::Frame { run: run.clone(), frame: Frame { seq: 5, request: None, ..frame } },
        Record::Epoch { run: run.clone(), epoch: 4 },
        Record::Checkpoint { run, seq: 5, digest: [1; 32] },
        Record::Bundle { part: 1, is_last: true, bytes: b"part of a bundle".to_vec() },
        Record::Mark { bytes: b"{}".to_vec() },
    ]
}

fn written(records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::new([3; 16], Some([8; 32]));
    records.iter().for_each(|record| writer.push(record));
    writer.finish()
}

fn read(bytes: &[u8]) -> Result<(Header, Vec<Record>), String> {
    let (header, mut reader) = Reader::new(bytes)?;
    let mut records = Vec::new();
    while let Some((place, record)) = reader.next()? {
        assert_eq!(decode(&bytes[place]), Some(record.clone()), "it can be found again by its place");
        records.push(record);
    }
    Ok((header, records))
}

#[test]
fn what_is_written_is_read_back() {
    let bytes = written(&sample());
    let header = Header { journal: [3; 16], previous: Some([8; 32]) };
    assert_eq!(read(&bytes), Ok((header, sample())));
    assert_eq!(read(&written(&[])), Ok((header, Vec::new())));
    let first = Writer::new([3; 16], None).finish();
    assert_eq!(read(&first).unwrap().0.previous, None);
}

#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    let bytes = written(&sample());
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << bit;
            assert!(read(&changed).is_err(), "bit {bit} of byte {place}");
        }
    }
}

#[test]
fn a_cut_file_is_found_wherever_it_was_cut() {
    let bytes = written(&sample());
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(read(&longer).is_err(), "something follows the end");
}

#[test]
fn a_record_that_is_missing_repeated_or_moved_is_found() {
    let bytes = written(&sample());
    let (_, mut reader) = Reader::new(&bytes).unwrap();
    let mut places = Vec::new();
    while let Some((place, _)) = reader.next().unwrap() {
        places.push(place.start - 4..place.end + CHECK_BYTES);
    }
    let part = |index: usize| bytes[places[index].clone()].to_vec();
    let with = |index: usize, instead: Vec<u8>| {
        [&bytes[..places[index].start], &instead[..], &bytes[places[index].end..]].concat()
    };
    assert!(read(&with(2, Vec::new())).is_err(), "missing");
    assert!(read(&with(2, [part(2), part(2)].concat())).is_err(), "repeated");
    assert!(read(&with(2, part(3))).is_err(), "moved");
}

proptest! {
    #[test]
    fn garbage_is_refused_and_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read(&bytes).is_err());
    }

    #[test]
    fn garbage_after_a_header_is_refused_and_never_panics(rest in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = Writer::new([3; 16], None).bytes;
        bytes.extend_from_slice(&rest);
        prop_assert!(read(&bytes).is_err());
    }

    #[test]
    fn a_payload_that_is_no_record_is_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(record) = decode(&bytes) {
            let mut again = Vec::new();
            let kind = encode(&record, &mut again);
            prop_assert_eq!(kind, bytes[0]);
            prop_assert_eq!(again, &bytes[1..]);
        }
    }
}
